/* body/beam/beam.c  The table of the kind. */
#include "body/beam/beam.h"

const vv_body_kind vv_beam_kind = {
    .name = "beam",
    .doc = "geometrically exact beam in space",
    .example =
        "{kind: beam, length: 2, elements: 9, material: {young: 300, density: 2}, section: {rectangle: {width: 0.3, "
        "height: 0.2}}, shape: {uniform: {strain: [0.02, 0.01, 0.95], curvature: [0.3, 0.5, -0.4]}}, axis: [1, 2, "
        "-2], position: [0.3, -1, 2], velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7]}",
    .claims = VV_EXPLICIT | VV_KEEPS_MOMENTUM,
    .schema = &beam_schema,
    .node_q = BEAM_Q,
    .node_p = BEAM_NODE_P,
    .node_reals = BEAM_NODE_COLUMNS,
    .element_nodes = 2,
    .body_reals = BEAM_BODY_COLUMNS,
    .n_output = BEAM_OUTPUTS,
    .output_field = beam_output_field,
    .measure = beam_measure,
    .fill = beam_fill,
    .kick = beam_kick,
    .drift = beam_drift,
    .drift_node = beam_drift_one,
    .post = beam_post,
    .distortion = beam_distortion,
    .stride = beam_stride,
    .audit = beam_audit,
    .energy_floor = beam_energy_floor,
    .stable_step = beam_stable_step,
    .surface = beam_surface,
    .push = beam_push,
    .pull = beam_pull,
    .inverse_mass = beam_inverse_mass,
    .output = beam_output,
    .movers = beam_movers,
    .mover = beam_mover,
    .scatter = beam_scatter,
    .drift_energy = beam_drift_energy,
    .launch = beam_launch,
    .drift_excess = beam_drift_excess,
    .vary = &beam_vary,
    .implicit = &beam_implicit,
};
