import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CSV_OPTIONS, type CsvRow, csvHeader, csvLines } from '../../../reports/csv.ts';
import { prefersType } from '../accept.ts';

/** The answers of a report: as JSON, or as CSV (RFC 4180) for `Accept: text/csv`. */
export const jsonOrCsv = <Schema extends z.ZodType>(schema: Schema) => ({
  content: {
    'application/json': { schema },
    'text/csv': { schema: z.string().describe('The items, one a line, below a line of names.') },
  },
});

/** Returns whether the client prefers CSV to JSON. */
export const wantsCsv = (request: FastifyRequest): boolean => prefersType(request, 'text/csv', 'application/json');

/** Sends all rows at once. */
export const sendCsv = (reply: FastifyReply, rows: CsvRow[], columns: string[]) =>
  asCsv(reply).send(csvHeader(columns) + csvLines(rows, columns));

/** Sends rows as they come. The answer breaks off where they cannot be read. */
export const streamCsv = (reply: FastifyReply, rows: AsyncIterable<CsvRow>, columns: string[]) =>
  asCsv(reply).send(pipeline(Readable.from(rows), stringify({ ...CSV_OPTIONS, header: true, columns }), () => {}));

/** Sends lines as they come, with their cells as a file of the org has had them. */
export const streamOwnCsv = (reply: FastifyReply, lines: AsyncIterable<string[]>) =>
  asCsv(reply).send(pipeline(Readable.from(lines), stringify({ record_delimiter: 'windows' }), () => {}));

const asCsv = (reply: FastifyReply) => reply.header('vary', 'accept').type('text/csv; charset=utf-8; header=present');
