/** The tables by their names. Each domain declares its own beside their types, so that this layer knows no domain. */
// biome-ignore lint/suspicious/noEmptyInterface: domains add their tables to it
export interface Database {}
