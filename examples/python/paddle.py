#!/usr/bin/env python3
"""A controller in Python: a paddle keeps a ball bouncing, and its work is in the books to 1e-12.

The ball loses a third of its energy at every impact (restitution 0.8).  The paddle's motion is prescribed: it swings up when
the ball comes down, as fast as the ball needs to come back to its height, and sinks back while the ball flies.
"""
import math

import visviva

G, RESTITUTION, RADIUS, HEIGHT = 9.81, 0.8, 0.02, 0.5
SCENE = {
    "title": "A paddle keeps a ball bouncing",
    "time": {"end": 20, "step": 1e-3},
    "gravity": [0, 0, -G],
    "bodies": {
        "ball": {"kind": "rigid", "shape": {"ball": {"radius": RADIUS}}, "mass": 0.01, "position": [0, 0, HEIGHT]},
        "paddle": {"kind": "rigid", "shape": {"box": {"size": [0.2, 0.2, 0.02]}}, "mass": 50, "position": [0, 0, -0.01]},
    },
    "contacts": [{"restitution": RESTITUTION}],
}


def build() -> visviva.Simulation:
    sim = visviva.Simulation(SCENE)
    ball, paddle = sim["ball"], sim["paddle"]
    z_ball, p_ball, z_paddle = ball.position[0], ball.momentum[0], paddle.position[0]  # views: they follow the run

    @sim.control()
    def swing(sim: visviva.Simulation) -> None:
        v, gap, top = p_ball[2] / 0.01, z_ball[2] - RADIUS - (z_paddle[2] + 0.01), z_paddle[2] + 0.01
        if v < 0 and gap < 0.1:  # leaves with e v + (1 + e) u
            arrives = math.sqrt(max(0.0, v * v + 2 * G * gap))
            u = (math.sqrt(2 * G * (HEIGHT - RADIUS)) - RESTITUTION * arrives) / (1 + RESTITUTION)
        else:
            u = max(-0.5, -2 * top)
        paddle.prescribe([0, 0, u])

    return sim


def main() -> visviva.Simulation:
    sim = build().run()
    book, ball = sim.ledger, sim["ball"]
    rises = ball.position[0, 2] + ball.velocity[0, 2] ** 2 / (2 * G)
    print(f"{book.impacts:.0f} impacts in {sim.t:.0f} s; the ball still rises to {rises:.3f} m")
    print(f"work of the paddle {book.external_work:.6g} J, lost at impacts {book.restitution_loss:.6g} J, "
          f"not explained {book.max_closure:.1e} of the energy")
    assert book.max_closure < 1e-12 and book.max_p_drift < 1e-12 and abs(rises - HEIGHT) < 0.05
    return sim


if __name__ == "__main__":
    main()
