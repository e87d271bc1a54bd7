import fc from 'fast-check';

const { FC_SEED } = process.env;

/** With FC_SEED, property tests draw the same values in each run. Without it, a failed property names its seed. */
if (FC_SEED !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FC_SEED) });
