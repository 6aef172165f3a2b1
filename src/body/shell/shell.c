/* body/shell/shell.c  The table of the kind. */
#include "body/shell/shell.h"

const vv_body_kind vv_shell_kind = {
    .name = "shell",
    .doc = "thin shell on a subdivision surface",
    .example =
        "{kind: shell, mesh: {sphere: {radius: 1.5, frequency: 2}}, thickness: 0.1, material: {young: 300, poisson: "
        "0.3, density: 2}, centre: [0.3, -1, 2], rotation: [0.3, 0.5, -0.2], velocity: [0.2, 0.1, -0.3], spin: "
        "[0.5, -1, 0.7], copies: [{centre: [0, 0, 0]}, {centre: [4, 0, 0], rotation: [1, 0, 0]}]}",
    .claims = VV_EXPLICIT | VV_FLAT | VV_KEEPS_MOMENTUM,
    .node_bytes = 600,
    .contact_bytes = 2200,
    .schema = &shell_schema,
    .node_q = SHELL_Q,
    .node_p = SHELL_P,
    .node_reals = SHELL_NODE_COLUMNS,
    .element_nodes = SHELL_CORNERS,
    .body_reals = SHELL_BODY_COLUMNS,
    .n_output = SHELL_OUTPUTS,
    .output_field = shell_output_field,
    .measure = shell_measure,
    .fill = shell_fill,
    .kick = shell_kick,
    .drift = shell_drift,
    .flow = shell_flow,
    .viscous = shell_viscous,
    .post = shell_post,
    .stride = shell_stride,
    .audit = shell_audit,
    .energy_floor = shell_energy_floor,
    .stable_step = shell_stable_step,
    .answer_time = shell_answer_time,
    .step_left = shell_step_left,
    .surface = shell_surface,
    .push = shell_push,
    .pull = shell_pull,
    .inverse_mass = shell_inverse_mass,
    .output = shell_output,
    .movers = shell_movers,
    .mover = shell_mover,
    .scatter = shell_scatter,
    .device = &shell_device_table,
};
