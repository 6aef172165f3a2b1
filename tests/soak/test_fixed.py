"""A fixed part of make soak, and faults that its judge must see: a torture that finds nothing because it looks nowhere is none."""
import os
import sys
import types
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import geometry  # noqa: E402
import judge  # noqa: E402
import scenes  # noqa: E402
import soak  # noqa: E402

# What they hold together: bars, beams with and without corners, shells, rigid bodies, walls, friction, drag, flow, refused scenes,
# kills, damaged files; 11, 206, 208, 221, 7000742, 7001441, 7000911 and 41000075 were wrong once; the last three sank by up to a
# twentieth of themselves, and were told.  In 110001196 damage_loss shrank by what cracks gave back, in 110001607 `energy` alarmed
# while a tip was held; 830000201 does not move at all, in 830000194 a sheet that has torn passes a bar; in 170000039 the claim `debt` broke where an edge was caught at a corner and rows jammed [contact 24b].
SEEDS = (11, 200, 205, 206, 207, 208, 212, 213, 216, 217, 221, 7000742, 7001441, 7000911, 41000075, 41000527, 41000728, 7001198, 94000529, 94000610,
         110001196, 110001607, 170000039, 620000071, 830000194, 830000201)
TOLD = {7000742: "went into the side of 'b1'"}  # and seen from outside; passed in silence once


class Fixed(unittest.TestCase):
    def test_scenes(self):
        tally = soak.collections.Counter()
        for seed in SEEDS:
            _, kinds, counts, wrong, told, _ = soak.torture(seed)
            tally.update(counts)
            self.assertIsNone(wrong, f"seed {seed} ({kinds})")
            if seed in TOLD:
                self.assertIn(TOLD[seed], told)
                self.assertNotIn("not seen from outside", told)
            else:
                self.assertEqual(told, "", f"seed {seed} ({kinds})")
        for what in ("right", "impacts", "threads", "kills", "damaged", "refused"):
            self.assertGreater(tally[what], 0, what)

    def test_seeds_are_scenes(self):
        self.assertEqual(scenes.Scene(5).text, scenes.Scene(5).text)
        self.assertNotEqual(scenes.Scene(5).text, scenes.Scene(6).text)


class Geometry(unittest.TestCase):
    """Distances that are known."""

    def test_points(self):
        tip, ball = geometry.Piece([1, 2, 3]), geometry.Piece([1, 2, 3.05], 0.1)
        self.assertFalse(geometry.overlap([[tip]], [[geometry.Piece([1, 2, 3])]]))
        self.assertTrue(geometry.overlap([[tip]], [[ball]]))

    def test_distances(self):
        cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        for shift, due in (([2, 0, 0], 1), ([2, 2, 0], 2 ** 0.5), ([2, 2, 2], 3 ** 0.5), ([0.5, 0.2, 0.1], 0)):
            self.assertAlmostEqual(geometry.distance(cube, cube + shift), due)
        one, other = np.array([[-1.0, 0, 0], [1, 0, 0]]), np.array([[0, -1.0, 0.3], [0, 1, 0.3]])
        self.assertAlmostEqual(geometry.distance(one, other), 0.3)
        self.assertAlmostEqual(geometry.distance(cube, np.array([[0.5, 0.5, 3.0]])), 2)

    def test_triangles_of_a_crowd(self):
        """Two of seed 110000633, 4.7e-5 apart by every way of looking but a tetrahedron that rounding filled; and moved into each other."""
        one = np.array([[-0.4564412266259028, 0.4222431820969774, -0.3027218893977488],
                        [-0.15906639532485412, 0.14500366193726238, -0.5679160713873054],
                        [-0.21272985719346107, 0.622757947916922, -0.634695177391754]])
        other = np.array([[0.07362785764657861, 0.26705007656342616, -0.8380642535400108],
                          [-0.27525794627962624, -0.1278643630669044, -0.22367538101765322],
                          [-0.41320243247004623, 0.19627715689815042, -0.30687040897112156]])
        edges = [geometry.distance(one[[i, i - 1]], other[[j, j - 1]]) for i in range(3) for j in range(3)]
        due = min(edges + [geometry.distance(one[[i]], other) for i in range(3)] + [geometry.distance(one, other[[i]]) for i in range(3)])
        self.assertGreater(due, 4e-5)
        self.assertAlmostEqual(geometry.distance(one, other), due, delta=1e-9)
        self.assertEqual(geometry.distance(one, other + (one.mean(axis=0) - other.mean(axis=0))), 0)

    def test_touching_is_not_overlapping(self):
        ball = [[geometry.Piece([[0, 0, 0]], 1)]]
        for far, due in ((2.0, False), (1.99, True), (2.01, False)):
            self.assertEqual(geometry.overlap(ball, [[geometry.Piece([[far, 0, 0]], 1)]]), due)
        self.assertAlmostEqual(geometry.beyond(ball[0], np.array([0, 0, 1]), -0.5), 0.5, places=2)


class Judge(unittest.TestCase):
    """Two balls that fly, with one thing wrong at a time."""

    def found(self, change):
        t = np.linspace(0, 1, 5)
        frames = {name: {"position": (np.array([x, 0, 0]) + np.outer(t, [0, 1, 0]))[:, None], "momentum": np.ones((5, 1, 3)),
                         "velocity": np.tile([0.0, 1, 0], (5, 1, 1)), "orientation": np.tile([1.0, 0, 0, 0], (5, 1, 1))}
                  for name, x in (("b0", 0.0), ("b1", 3.0))}
        ledger = {name: np.zeros(5) for name in ("kinetic", "strain", "potential", "contact", "external_work", "joint_work", "step_loss") + judge.LOSSES}
        ledger["kinetic"] += 1
        change(frames, ledger)
        ball = {"kind": "rigid", "shape": {"ball": {"radius": 1}}, "position": [0, 0, 0], "velocity": [0, 1, 0]}
        scene = types.SimpleNamespace(bends=False, free=True, size=1.0, speed=1.0, density=1.0, wave=1.0, planes=[], scene={}, lines=[("b0", "b1", [1, 0, 0])],
                                      bodies={"b0": ball, "b1": dict(ball, position=[3, 0, 0])},
                                      shapes={name: {"is": "rigid", "pieces": [([[0, 0, 0]], 1.0)]} for name in frames})

        class Results(dict):
            time, summary = t, {"contact_pairs": 0, "max_distortion": 0}
        results = Results({name: type("Frames", (dict,), {"fields": list(f)})(f) for name, f in frames.items()})
        results.ledger = ledger
        return " ".join(judge.judge(scene, results))

    def test_sees(self):
        self.assertEqual(self.found(lambda f, l: None), "")

        def rise(f, l): l["kinetic"][3:] = 1.1
        def joined(f, l): l["kinetic"][3:], l["joint_work"][3:] = 1.1, 0.1
        def shrink(f, l): l["kinetic"][1:], l["friction_loss"][:] = 0.5, [0, 0.5, 0.5, 0.4, 0.5]
        def unbooked(f, l): l["kinetic"][2:] = 0.9
        def drift(f, l): f["b1"]["momentum"][2:] *= 1.1
        def jump(f, l): f["b0"]["position"][3:, :, 0] -= 30
        def stray(f, l): f["b0"]["position"][3:, :, 1] += 1e-3
        def swap(f, l): f["b1"]["position"][:, :, 0] = -3
        def overlap(f, l): f["b1"]["position"][:, :, 0] = 1.9
        def nothing(f, l): l["strain"][4] = np.nan
        for change, word in ((rise, "rises"), (joined, "rises"), (shrink, "shrinks"), (unbooked, "add up"), (drift, "momentum"), (jump, "jumps"),
                             (stray, "free body"), (overlap, "overlap"), (swap, "before which"), (nothing, "not a number")):
            self.assertIn(word, self.found(change), change.__name__)


if __name__ == "__main__":
    unittest.main()
