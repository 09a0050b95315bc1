// The C++ twin of `search.minimax` on Kalah: the same rules, the same recursion, the same counts, with the pits as an
// array of bytes, as one would write it.
//     g++ -O3 -march=native -std=c++20 kalah.cpp -o kalah
//     ./kalah minimax DEPTH TIMES     the count and the seconds are those of all TIMES runs together
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

constexpr int houses = 6, seeds = 4, length = 2 * (houses + 1);

struct State {
    std::int8_t pits[length];  // the houses of player 0 and the store, then those of player 1
    std::int8_t turn;
};

static int first(int p) { return p * (houses + 1); }
static int store(int p) { return first(p) + houses; }

static int seeds_of(const State& s, int p) {
    int total = 0;
    for (int i = first(p); i < store(p); ++i) total += s.pits[i];
    return total;
}

static bool is_empty(const State& s, int p) {
    for (int i = first(p); i < store(p); ++i)
        if (s.pits[i]) return false;
    return true;
}

static bool is_terminal(const State& s) { return is_empty(s, 0) || is_empty(s, 1); }

static double utility_of_max(const State& s) {
    int mine = s.pits[store(0)] + seeds_of(s, 0), theirs = s.pits[store(1)] + seeds_of(s, 1);
    return mine > theirs ? 1.0 : mine < theirs ? -1.0 : 0.0;
}

static double estimate(const State& s) { return (s.pits[store(0)] - s.pits[store(1)]) / double(2 * houses * seeds); }

static State result(const State& s, int house) {
    State t = s;
    int own = store(s.turn), other = store(1 - s.turn), pit = first(s.turn) + house;
    int hand = t.pits[pit];
    t.pits[pit] = 0;
    while (hand > 0) {
        pit = pit == length - 1 ? 0 : pit + 1;
        if (pit != other) {
            ++t.pits[pit];
            --hand;
        }
    }
    if (first(s.turn) <= pit && pit < own && t.pits[pit] == 1) {
        int opposite = 2 * houses - pit;
        if (t.pits[opposite] > 0) {
            t.pits[own] += t.pits[opposite] + 1;
            t.pits[pit] = t.pits[opposite] = 0;
        }
    }
    t.turn = pit == own ? s.turn : 1 - s.turn;
    return t;
}

static std::int64_t nodes = 0;

static double value(const State& s, int depth) {
    ++nodes;
    if (is_terminal(s)) return utility_of_max(s);
    if (depth == 0) return estimate(s);
    if (s.turn == 0) {
        double v = -std::numeric_limits<double>::infinity();
        for (int a = 0; a < houses; ++a)
            if (s.pits[first(0) + a] > 0) { double w = value(result(s, a), depth - 1); if (w > v) v = w; }
        return v;
    }
    double v = std::numeric_limits<double>::infinity();
    for (int a = 0; a < houses; ++a)
        if (s.pits[first(1) + a] > 0) { double w = value(result(s, a), depth - 1); if (w < v) v = w; }
    return v;
}

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: kalah minimax DEPTH TIMES\n"), 2;
    volatile int depth = std::atoi(argv[2]);  // read anew each time, so that no run is optimised away
    int times = std::atoi(argv[3]);
    State start{};
    for (int p = 0; p < 2; ++p)
        for (int i = first(p); i < store(p); ++i) start.pits[i] = seeds;
    double v = 0.0;
    auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) v = value(start, depth);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf("{\"value\": %g, \"nodes\": %lld, \"seconds\": %.6f}\n", v, static_cast<long long>(nodes), seconds);
}
