"""The module `bestiary`: python_module.py ROOT RUN INI, a finished run and its parameters, DIGEST its digest."""
import os
import sys
import tempfile
import unittest

import numpy as np

ROOT, RUN, INI, DIGEST = sys.argv[1:5]
sys.path.insert(0, os.path.join(ROOT, "python"))
import bestiary  # noqa: E402
sys.path.insert(0, os.path.join(ROOT, "examples"))
import train  # noqa: E402


def champion(name):
    return bestiary.Creature.read(os.path.join(ROOT, "examples", "creatures", name))


KINDS = ["walker-1.creature", "swimmer-1.creature", "spider.json", "quadruped.json"]


class Creatures(unittest.TestCase):
    def test_what_is_recorded_is_verified(self):
        creature = champion("walker-1.creature")
        result = bestiary.evaluate(creature)
        self.assertEqual((result["status"], result["digest"]), ("verified", creature.record["digest"]))
        self.assertAlmostEqual(result["fitness"], creature.record["fitness"])
        self.assertEqual(len(result), 5 + len(bestiary.MEASURES))
        self.assertEqual(bestiary.Creature(creature.to_dict()).to_bytes(), creature.to_bytes())

    def test_children_are_recorded_and_written(self):
        creature = champion("swimmer-1.creature")
        params = bestiary.Params(of=creature)
        child = creature.breed(params, seed=5)
        self.assertEqual(child.to_bytes(), creature.breed(params, seed=5).to_bytes())
        self.assertIsNone(child.record)
        bestiary.record(child, params, 7)
        with tempfile.TemporaryDirectory() as folder:
            for name in "child.creature", "child.json":
                child.write(os.path.join(folder, name))
                read = bestiary.Creature.read(os.path.join(folder, name))
                self.assertEqual(read.record["seed"], 7)
                self.assertEqual(bestiary.evaluate(read)["status"], "verified")

    def test_bad_input_is_refused_in_words(self):
        for bad in b"", b"\x81", "{", {"format": "bestiary-creature", "version": 99}:
            with self.assertRaisesRegex(bestiary.Error, "creature"):
                bestiary.Creature(bad)
        with self.assertRaisesRegex(bestiary.Error, "parameters:2") as caught:
            bestiary.Params("[world]\ngravity_m_s2 = x\n")
        self.assertEqual(caught.exception.code, -5)
        with self.assertRaises(bestiary.Error):
            bestiary.Params()["world.nothing"] = 1
        params = bestiary.Params(world={"gravity_m_s2": 1.5})
        self.assertEqual(params["world.gravity_m_s2"], "1.5")

    def test_the_strategy_of_the_example_trains(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "better.creature")
            train.main(os.path.join(ROOT, "examples", "creatures", "fish.json"), path, 40)
            record = bestiary.Creature.read(path).record
            self.assertEqual(bestiary.evaluate(bestiary.Creature.read(path))["status"], "verified")
            start = bestiary.evaluate(champion("fish.json"), bestiary.Params(**train.WORLD))
            self.assertGreater(record["fitness"], 1.2 * start["fitness"])


class Steered(unittest.TestCase):
    def test_snapshots_go_on_to_the_same_bits(self):
        life = bestiary.Life(champion("walker-1.creature"))
        life.tick(100)
        held = life.save()
        life.tick(1 << 30)
        digest = life.result()["digest"]
        life.restore(held)
        self.assertAlmostEqual(life.read("time")[0, 0], 100 / 60)
        life.tick(1 << 30)
        self.assertEqual(life.result(), {**life.result(), "digest": digest, "status": "verified"})
        with self.assertRaises(bestiary.Error):
            bestiary.Life(champion("walker-1.creature")).restore(held)

    def test_many_lives_step_as_each_alone(self):
        creatures, random = [champion(name) for name in KINDS], np.random.default_rng(1)
        many = bestiary.Lives(creatures, ticks=2)
        alone = [bestiary.Life(creature) for creature in creatures]
        for _ in range(20):
            signals = random.uniform(-1, 1, (len(creatures), max(many.effectors)))
            seen, centres, is_live = many.step(signals)
            for i, life in enumerate(alone):
                drives = life.read("effectors")
                least, most = drives[:, 1], drives[:, 2]
                life.steer(least + 0.5 * (signals[i, :len(drives)] + 1) * (most - least))
                self.assertEqual(life.tick(2) == 2, bool(is_live[i]))
                np.testing.assert_array_equal(life.read("centre")[0], centres[i])
                np.testing.assert_array_equal(life.read("observation")[0], seen[i, :many.observed[i]])
                self.assertFalse(seen[i, many.observed[i]:].any())
        with self.assertRaises(ValueError):
            many.step(np.zeros((1, 1)))

    def test_the_rules_of_gymnasium(self):
        env = bestiary.Env(champion("walker-1.creature"), ticks=6, render_mode="rgb_array")
        first, info = env.reset(seed=3)
        self.assertTrue(env.observation_space.contains(first))
        self.assertTrue(env.action_space.contains(env.action_space.sample()))
        total = truncated = terminated = steps = 0
        while not (truncated or terminated):
            seen, reward, terminated, truncated, after = env.step(
                np.sin(0.7 * steps + np.arange(env.action_space.shape[0])))
            self.assertEqual(seen.shape, env.observation_space.shape)
            total, steps = total + reward, steps + 1
        self.assertEqual((steps, truncated, after["verdict"]), (101, True, 0))
        self.assertAlmostEqual(total, after["centre"][0] - info["centre"][0])
        np.testing.assert_array_equal(env.reset()[0], first)
        while not terminated:  # a guard ends a body that does not move
            terminated, truncated, after = env.step(np.zeros(env.action_space.shape))[2:]
            self.assertFalse(truncated)
        self.assertNotEqual(after["verdict"], 0)
        env.reset()
        picture = env.render()
        self.assertEqual((picture.shape, picture.dtype), ((240, 320, 3), np.uint8))
        sky, ground = picture[0, 0], picture[-1, 0]
        body = (picture != sky).any(2) & (picture != ground).any(2)
        self.assertGreater(body.sum(), 200)
        self.assertLess(body.sum(), 40000)
        env.close()


class Runs(unittest.TestCase):
    def test_a_search_is_the_run_of_the_controller(self):
        for threads in 1, 3:
            generations = []
            search = bestiary.Search(bestiary.Params.read(INI))
            best = search.run(threads, lambda progress: generations.append(progress["generation"]))
            self.assertEqual(search.digest, DIGEST)
            self.assertEqual(best.record["fitness"], search.progress["best"])
            self.assertGreater(len(generations), 2)
        with self.assertRaises(bestiary.Error):
            search.tell([b"nonsense"])

    def test_a_run_as_frames(self):
        run = bestiary.Run(RUN)
        self.assertEqual(len(run.generations), 4)
        self.assertTrue((run.creatures.generation >= 0).all())
        self.assertAlmostEqual(run.creatures.fitness.max(), run.generations.best.max())
        self.assertEqual(run.frame("SELECT count(*) AS n FROM births").n[0], 0)

    def test_worlds_live(self):
        params = bestiary.Params(world={"preset": "water"}, preserve={"founders": 4})
        world = bestiary.World(params, [champion("swimmer-1.creature")])
        again = bestiary.World(params, state=world.to_bytes())
        facts = world.live()
        self.assertEqual(facts, again.live())
        self.assertGreater(facts["living"], 0)
        self.assertEqual(world.creature(0).to_bytes(), again.creature(0).to_bytes())
        with self.assertRaises(bestiary.Error):
            world.creature(facts["living"])


if __name__ == "__main__":
    unittest.main(argv=["python_module"])
