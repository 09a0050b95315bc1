"""Alpha-beta: the kernel that searches, the memory that it searches with, and the engine around both."""
