"""Do bodies overlap?  From recorded frames alone; no line of this is shared with the program.

A body is a list of pieces, each the convex hull of some points with a radius around it: a ball is a point, a round beam a chain of segments,
a box its corners, a surface its triangles.  Two pieces overlap if their hulls come nearer than the sum of their radii; hulls without
a radius are shrunk about their middles first, so that touching is not overlapping.
"""
import itertools
from fractions import Fraction

import numpy as np

SHRINK = 1e-3  # of the size of a piece: what is not yet called an overlap
END = 1e-2  # of a bar: what is so near an end is in contact with it, or judged by it


class Piece:
    """The hull of `points`, with `radius` around it."""

    def __init__(self, points, radius=0.0, shrink=SHRINK):
        points = np.atleast_2d(np.asarray(points, dtype=float))
        middle = points.mean(axis=0)
        size = np.abs(points - middle).max() + radius
        if radius > 0:
            self.points, self.radius = points, radius - shrink * size
        else:
            self.points, self.radius = middle + (1 - shrink) * (points - middle), 0.0
        reach = self.radius
        self.low, self.high = self.points.min(axis=0) - reach, self.points.max(axis=0) + reach


def _holds_origin(corners):
    """Whether the tetrahedron of four points holds the origin, by the signs of its volumes: exact, however flat it is."""
    a, b, c, d = ([Fraction(float(x)) for x in p] for p in corners)

    def volume(p, q, r):
        return (p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]))
    parts = (volume(b, d, c), volume(a, c, d), volume(a, d, b), volume(a, b, c))  # the origin in place of each corner
    return all(v >= 0 for v in parts) or all(v <= 0 for v in parts)


def _nearest(simplex):
    """The point of the hull of up to four points that is nearest to the origin, and the points that carry it."""
    if len(simplex) == 4 and _holds_origin(simplex):
        return np.zeros(3), simplex
    best, carried = None, None
    for k in range(1, min(len(simplex), 3) + 1):
        for chosen in itertools.combinations(simplex, k):
            corner = np.array(chosen)
            edge = corner[1:] - corner[0]
            weight = np.linalg.lstsq(edge @ edge.T, -edge @ corner[0], rcond=None)[0] if k > 1 else np.zeros(0)
            if weight.size and (weight.min() < 0 or weight.sum() > 1):
                continue
            x = corner[0] + weight @ edge
            if best is None or x @ x < best @ best * (1 - 1e-12):
                best, carried = x, list(chosen)
    return best, carried


def distance(a, b):
    """Between the hulls of two sets of points: the algorithm of Gilbert, Johnson and Keerthi.  0: they meet."""
    x = a[0] - b[0]
    simplex = [x]
    for _ in range(64):
        size = float(x @ x)
        if size < 1e-24 * (1 + np.abs(a).max() + np.abs(b).max()) ** 2:
            return 0.0
        w = a[np.argmin(a @ x)] - b[np.argmax(b @ x)]
        if size - x @ w <= 1e-10 * size or any(np.array_equal(w, s) for s in simplex):
            return size ** 0.5
        x, simplex = _nearest(simplex + [w])
        if len(simplex) == 4:
            return 0.0
    return float(x @ x) ** 0.5


def _box_pairs(one, two):
    """Numbers of pieces whose boxes overlap."""
    if not one or not two:
        return []
    low1, high1 = np.array([p.low for p in one]), np.array([p.high for p in one])
    low2, high2 = np.array([p.low for p in two]), np.array([p.high for p in two])
    if (low1.min(axis=0) > high2.max(axis=0)).any() or (low2.min(axis=0) > high1.max(axis=0)).any():
        return []
    apart = ((low1[:, None] > high2[None]) | (low2[None] > high1[:, None])).any(axis=2)
    return np.argwhere(~apart)


def _meet(one, two):
    """Whether any piece of one body is in a piece of the other.  Two points without a radius have no inside: tips of bars that touch
    may be in one place to the last bit, and that they keep their order is judged elsewhere."""
    return any(distance(one[i].points, two[j].points) < max(one[i].radius + two[j].radius, 1e-300)
               for i, j in _box_pairs(one, two)
               if len(one[i].points) > 1 or len(two[j].points) > 1 or one[i].radius + two[j].radius > 0)


def folded(one, radius):
    """Whether segments of a round beam, given in their order, are inside of others, farther along it than it can bend."""
    length = np.mean([np.linalg.norm(p.points[1] - p.points[0]) for p in one])
    apart = int(np.ceil(2 * np.pi * radius / length)) + 2
    return any(distance(one[i].points, one[j].points) < one[i].radius + one[j].radius for i, j in _box_pairs(one, one) if j >= i + apart)


def overlap(one, two):
    """Whether two bodies overlap, however each of them is cut."""
    return all(_meet(a, b) for a in one for b in two)


def beyond(pieces, normal, offset):
    """By how much a body is behind the plane normal.x = offset."""
    return max((offset - (p.points @ normal).min() + p.radius for p in pieces), default=-np.inf)


def turn(q):
    """The matrix of a quaternion with its scalar first."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _prism(shape, frames, k, diagonal):
    """The sides of a beam with corners, each cut along one diagonal or the other: those of a twisted one are not flat."""
    x, (a, b) = frames["position"][k], shape["half"]
    ring = np.array([x + s * a * frames["d1"][k] + t * b * frames["d2"][k] for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    out = [Piece(ring[[0, 1, 2], i]) for i in (0, -1)] + [Piece(ring[[0, 2, 3], i]) for i in (0, -1)]
    for i in _left(frames, k, len(x) - 1):
        for c in range(4):
            u, v, w, z = ring[c, i], ring[c - 1, i], ring[c - 1, i + 1], ring[c, i + 1]
            out += [Piece([u, v, w]), Piece([u, w, z])] if diagonal else [Piece([u, v, z]), Piece([v, w, z])]
    return out


def _left(frames, k, n):
    """Elements that have not broken."""
    return [i for i in range(n) if "damage" not in frames or frames["damage"][k, i] < 1]


def outlines(shape, frames, k, shrink=SHRINK):
    """The pieces of a body in frame k, in as many ways as it may be cut; shape: what the scene said of it (scenes.py)."""
    x = frames["position"][k]
    if shape["is"] == "rigid":
        turned = turn(frames["orientation"][k, 0])
        return [[Piece(x[0] + np.array(points) @ turned.T, radius, shrink) for points, radius in shape["pieces"]]]
    if shape["is"] == "tips":  # bars meet with their ends; nothing else may be where they are
        inner = [Piece([x[0] + END * (x[-1] - x[0]), x[-1] - END * (x[-1] - x[0])])]
        return [[Piece(x[0]), Piece(x[-1])] + (inner if len(_left(frames, k, len(x) - 1)) == len(x) - 1 else [])]
    if shape["is"] == "line":
        return [[Piece(x[i:i + 2], shape["radius"]) for i in _left(frames, k, len(x) - 1)]]
    if shape["is"] == "prism":
        return [_prism(shape, frames, k, diagonal) for diagonal in (False, True)]
    return [[Piece(x[frames["elements"][i]]) for i in _left(frames, k, len(frames["elements"]))]]
