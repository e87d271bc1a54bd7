import type { Logger } from 'pino';
import { codeOf, messageOf } from '../errors.ts';

/** Why a program does not start, and what to do. Its message is shown as it is. */
export class StartRefused extends Error {}

const IN_USE =
  'A port is in use: end the program that has it, or set another one (PORT, OPS_PORT, WORKER_OPS_PORT, INBOUND_SMTP_PORT)';
const NOT_ALLOWED =
  'The system does not allow a port: set one above 1023 (PORT, OPS_PORT, WORKER_OPS_PORT, INBOUND_SMTP_PORT), or allow it to this user';
const NO_ADDRESS = 'HOST is not an address of this machine: set one that is, such as 0.0.0.0';
const NO_LOGIN = 'Postgres refuses the login: correct user, password and database in DATABASE_URL';

/** What to do about an error of the system or of Postgres, by its code. */
const REMEDIES = new Map([
  ['EADDRINUSE', IN_USE],
  ['EACCES', NOT_ALLOWED],
  ['EADDRNOTAVAIL', NO_ADDRESS],
  ['28P01', NO_LOGIN],
  ['28000', NO_LOGIN],
  ['3D000', NO_LOGIN],
  ['42501', 'Postgres refuses the user of DATABASE_URL a right: run "npm run migrate" with the owner’s DATABASE_URL'],
]);

/** Ends the process at an error that nothing handles, with one line of the log. */
export function endOnUnhandledError(log: Pick<Logger, 'fatal'>): void {
  process.on('uncaughtException', (error: unknown) => {
    if (error instanceof StartRefused)
      log.fatal({ ...(error.cause !== undefined && { err: error.cause }) }, messageOf(error));
    else
      log.fatal(
        { err: error },
        REMEDIES.get(codeOf(error) ?? '') ?? 'An unexpected error ends the program: please report it',
      );
    process.exit(1);
  });
}
