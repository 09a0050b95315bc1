// Reaches what OpenSpiel's Python module holds but does not offer: its C++ alpha-beta, and its C++ states for a plain
// minimax. Built against the headers of the installed wheel and loaded beside its pyspiel.so, so that what runs is
// OpenSpiel's own release build. See peers.py for the command.
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "open_spiel/algorithms/minimax.h"
#include "open_spiel/spiel.h"

using namespace open_spiel;

namespace {

std::int64_t nodes = 0;

double after(State& s, Action a, int depth, bool undo);

// `search.minimax`, word for word, over OpenSpiel's states.
double value(State& s, int depth, bool undo) {
    ++nodes;
    if (s.IsTerminal()) return s.PlayerReturn(0);
    if (depth == 0) return 0.0;
    if (s.CurrentPlayer() == 0) {
        double v = -std::numeric_limits<double>::infinity();
        for (Action a : s.LegalActions()) v = std::max(v, after(s, a, depth - 1, undo));
        return v;
    }
    double v = std::numeric_limits<double>::infinity();
    for (Action a : s.LegalActions()) v = std::min(v, after(s, a, depth - 1, undo));
    return v;
}

// Taking a move back is faster than copying the state, where the game can.
double after(State& s, Action a, int depth, bool undo) {
    if (!undo) return value(*s.Child(a), depth, undo);
    Player p = s.CurrentPlayer();
    s.ApplyAction(a);
    double v = value(s, depth, undo);
    s.UndoAction(p, a);
    return v;
}

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct Outcome {
    double value, seconds;
    std::int64_t count;
};

// Counts nodes.
extern "C" Outcome minimax(const char* name, int depth, int times, bool undo) {
    auto game = LoadGame(name);
    auto s = game->NewInitialState();
    nodes = 0;
    double v = 0.0;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) v = value(*s, depth, undo);
    return {v, since(start), nodes};
}

// Counts the states at the depth limit, which is all that AlphaBetaSearch lets us see.
extern "C" Outcome alpha_beta(const char* name, int depth, int times, bool undo) {
    auto game = LoadGame(name);
    std::int64_t estimates = 0;
    auto estimate = [&estimates](const State&) { return ++estimates, 0.0; };
    double v = 0.0;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
        v = algorithms::AlphaBetaSearch(*game, nullptr, estimate, depth, /*maximizing_player=*/0, undo).first;
    return {v, since(start), estimates};
}

// The same for ExpectiminimaxSearch, from the first state that is a player's; chance is no ply there.
extern "C" Outcome expectiminimax(const char* name, int depth, int times, bool) {
    auto game = LoadGame(name);
    auto s = game->NewInitialState();
    while (s->IsChanceNode()) s->ApplyAction(s->LegalActions()[0]);
    std::int64_t estimates = 0;
    auto estimate = [&estimates](const State&) { return ++estimates, 0.0; };
    double v = 0.0;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
        v = algorithms::ExpectiminimaxSearch(*game, s.get(), estimate, depth, s->CurrentPlayer()).first;
    return {v, since(start), estimates};
}
