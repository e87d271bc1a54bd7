import { z } from 'zod';

const MAX_PATH_LENGTH = 500;
/** Paths of the console alone: a link that signs in leads nowhere else. */
const CONSOLE_PATH = /^\/console(?:[/?#][!-~]*)?$/;

/** A path to open once signed in. What is none counts as absent. */
export const NextPath = z.string().max(MAX_PATH_LENGTH).regex(CONSOLE_PATH).nullable().catch(null);
