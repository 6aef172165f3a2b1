/* body/rigid/rigid.c  The table of functions of the kind `rigid`. */
#include "body/rigid/rigid.h"

/* Nothing stiff: any step is stable. */
static double stable_step(const vv_block *b)
{
  (void)b;
  return INFINITY;
}

/* The flight keeps the kinetic energy itself, at any length. */
static double drift_excess(const vv_block *b, const double *q, const double *p)
{
  (void)b, (void)q, (void)p;
  return 0.0;
}

const vv_body_kind vv_rigid_kind = {
    .name = "rigid",
    .doc = "balls, boxes, hulls, meshes, compounds; one or many copies",
    .example =
        "{kind: rigid, shape: {box: {size: [0.5, 0.35, 0.25]}}, density: 700, position: [0.3, -1, 2], orientation: "
        "{axis: [1, 2, -2], angle: 0.7}, velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7], copies: {grid: {count: [3, "
        "2, 2], spacing: [1, 1, 1]}, orientation: random, spin: 2}}",
    .claims = VV_EXPLICIT | VV_SYMPLECTIC | VV_KEEPS_ENERGY | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .schema = &rigid_schema,
    .node_q = RIGID_Q,
    .node_p = RIGID_NODE_P,
    .node_reals = RIGID_NODE_COLUMNS,
    .body_reals = RIGID_BODY_COLUMNS,
    .contact_bytes = 1050,
    .n_output = RIGID_OUTPUTS,
    .output_field = rigid_output_field,
    .measure = rigid_measure,
    .fill = rigid_fill,
    .kick = rigid_kick,
    .drift = rigid_drift,
    .drift_node = rigid_drift_node,
    .viscous = rigid_viscous,
    .post = rigid_post,
    .stride = rigid_stride,
    .audit = rigid_audit,
    .audit_body = rigid_audit_body,
    .stable_step = stable_step,
    .surface = rigid_surface,
    .push = rigid_push,
    .pull = rigid_pull,
    .inverse_mass = rigid_inverse_mass,
    .output = rigid_output,
    .movers = rigid_movers,
    .mover = rigid_mover,
    .scatter = rigid_scatter,
    .skin = rigid_skin,
    .drift_excess = drift_excess,
    .vary = &rigid_vary,
    .implicit = &rigid_implicit,
    .device = &rigid_device_table,
};
