import { v7 } from 'uuid';

/** A new id: a UUID version 7 (RFC 9562), which sorts by time. */
export const newId = (): string => v7();
