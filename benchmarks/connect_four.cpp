// The C++ twin of `search.minimax` and `search.perft` on Connect Four: the same rules, the same recursion, the same
// counts. It stands for the limit of the machine.
//     g++ -O3 -march=native -std=c++20 connect_four.cpp -o connect_four
//     ./connect_four minimax|perft DEPTH TIMES     the count and the seconds are those of all TIMES runs together
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

using Board = std::uint64_t;

constexpr int rows = 6, columns = 7, stride = rows + 1;

struct State {
    Board mine, theirs;  // of the player to move, and of the other
    int ply;
};

static bool wins(Board b) {
    for (int d : {1, stride - 1, stride, stride + 1}) {
        Board pairs = b & (b >> d);
        if (pairs & (pairs >> 2 * d)) return true;
    }
    return false;
}

static bool is_terminal(const State& s) { return wins(s.theirs) || s.ply == rows * columns; }

static double utility_of_max(const State& s) {
    if (!wins(s.theirs)) return 0.0;
    return s.ply & 1 ? 1.0 : -1.0;
}

static bool is_open(const State& s, int column) {
    return !((s.mine | s.theirs) >> (column * stride + rows - 1) & 1);
}

static State result(const State& s, int column) {
    Board all = s.mine | s.theirs;
    int square = column * stride;
    while (all >> square & 1) ++square;
    return {s.theirs, s.mine | Board(1) << square, s.ply + 1};
}

static std::int64_t nodes = 0;

static double value(const State& s, int depth) {
    ++nodes;
    if (is_terminal(s)) return utility_of_max(s);
    if (depth == 0) return 0.0;
    if ((s.ply & 1) == 0) {
        double v = -std::numeric_limits<double>::infinity();
        for (int a = 0; a < columns; ++a)
            if (is_open(s, a)) { double w = value(result(s, a), depth - 1); if (w > v) v = w; }
        return v;
    }
    double v = std::numeric_limits<double>::infinity();
    for (int a = 0; a < columns; ++a)
        if (is_open(s, a)) { double w = value(result(s, a), depth - 1); if (w < v) v = w; }
    return v;
}

static std::int64_t lines(const State& s, int depth) {
    if (depth == 0) return 1;
    if (is_terminal(s)) return 0;
    std::int64_t n = 0;
    for (int a = 0; a < columns; ++a)
        if (is_open(s, a)) n += depth == 1 ? 1 : lines(result(s, a), depth - 1);
    return n;
}

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: connect_four minimax|perft DEPTH TIMES\n"), 2;
    bool is_perft = std::strcmp(argv[1], "perft") == 0;
    volatile int depth = std::atoi(argv[2]);  // read anew each time, so that no run is optimised away
    int times = std::atoi(argv[3]);
    double v = 0.0;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
        if (is_perft) nodes += lines({0, 0, 0}, depth);
        else v = value({0, 0, 0}, depth);
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("{\"value\": %g, \"nodes\": %lld, \"seconds\": %.6f}\n", v, static_cast<long long>(nodes), seconds);
}
