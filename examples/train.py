"""Trains a body and its brain by a (1+1) evolution strategy, and saves a creature that is `verified`.

    PYTHONPATH=python python3 examples/train.py examples/creatures/fish.json better.creature
"""
import sys

import numpy as np

import bestiary

WORLD = {"world": {"preset": "water"}, "evolution": {"behaviour": "swim"}}


def numbers(node):
    """Where the numbers are that may change: (dict, key) of each weight and side."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from numbers(value)
        elif isinstance(value, float) and (key == "weight" or str(key).endswith("_m")):
            yield node, key


def score(genome, params):
    try:
        return bestiary.evaluate(bestiary.Creature(genome), params)["fitness"]
    except bestiary.Error:  # out of bounds
        return 0.0


def main(start, path, evaluations=300):
    random, sigma, params = np.random.default_rng(1), 0.1, bestiary.Params(**WORLD)
    best = {key: value for key, value in bestiary.Creature.read(start).to_dict().items() if key != "evaluation"}
    top = first = score(best, params)
    for _ in range(evaluations):
        child = bestiary.json.loads(bestiary.json.dumps(best))
        for node, key in numbers(child):
            node[key] *= np.exp(sigma * random.normal())
        fitness = score(child, params)
        sigma *= 1.5 if fitness > top else 1.5 ** -0.25  # the one-fifth rule
        if fitness > top:
            best, top = child, fitness
    creature = bestiary.Creature(best)
    bestiary.record(creature, params, seed=1)
    creature.write(path)
    print(f"{first:.3f} -> {top:.3f}, {bestiary.evaluate(bestiary.Creature.read(path))['status']}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
