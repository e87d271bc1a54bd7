import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

export { SpanKind } from '@opentelemetry/api';

/** Names of our own attributes. */
export const ORG_ID = 'switchboard.org_id';
export const REQUEST_ID = 'switchboard.request_id';
export const RUN_ID = 'switchboard.run_id';

/**
 * Stands for all contexts of traces that are not sampled: what follows from them is not sampled either, also by a
 * ratio of ids, for which OpenTelemetry joins the parts of an id by XOR.
 */
const UNSAMPLED = `00-${'0'.repeat(24)}${'f'.repeat(8)}-${'f'.repeat(16)}-00`;

/** Not a span: what is done without tracing gets it. */
const NO_SPAN = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: TraceFlags.NONE });

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
  /** The traceparent of the cause (W3C Trace Context). null begins a new trace; without it, the current span is the cause. */
  parent?: string | null | undefined;
  /** The traceparents of further causes. */
  others?: (string | null | undefined)[];
}

/** A span that is under way. */
export interface ActiveSpan {
  /** Calls the function as part of the span. */
  within<Result>(call: () => Result): Result;
  setAttribute(name: string, value: string | number): void;
  /** Ends the span, with the error that it ended by. Once is enough. */
  end(error?: unknown): void;
}

/** Whether this process records traces. */
export const isTracing = (): boolean => propagation.fields().length > 0;

/** Returns the traceparent of the current span, UNSAMPLED if its trace is not sampled, or '' without a trace. */
export function currentTraceparent(): string {
  const current = trace.getSpanContext(context.active());
  if (current === undefined || !isSpanContextValid(current)) return '';
  const isSampled = (current.traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled ? `00-${current.traceId}-${current.spanId}-01` : UNSAMPLED;
}

/** Returns the id of the current trace, if it is sampled. */
export function currentTraceId(): string | undefined {
  const traceparent = currentTraceparent();
  return traceparent === '' || traceparent === UNSAMPLED ? undefined : traceparent.split('-')[1];
}

/** Does the work as a span. Without tracing it just does the work. */
export async function inSpan<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
  if (!isTracing()) return work(NO_SPAN);
  const { span, spanContext } = begin(options);
  try {
    return await context.with(spanContext, () => work(span));
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Begins a span of work that is done in several parts. */
export function beginSpan(options: SpanOptions): ActiveSpan {
  if (!isTracing()) return { within: (call) => call(), setAttribute: () => undefined, end: () => undefined };
  const { span, spanContext } = begin(options);
  return {
    within: (call) => context.with(spanContext, call),
    setAttribute: (name, value) => void span.setAttribute(name, value),
    end(error) {
      if (!span.isRecording()) return;
      if (error !== undefined) fail(span, error);
      span.end();
    },
  };
}

/** Calls the function as part of no trace, as when it is about several. */
export const outsideOfTraces = <Result>(call: () => Result): Result => context.with(ROOT_CONTEXT, call);

/** Adds an attribute to the current span, if there is one. */
export function setSpanAttribute(name: string, value: string | number): void {
  trace.getActiveSpan()?.setAttribute(name, value);
}

function begin({ name, kind, attributes, parent, others = [] }: SpanOptions): { span: Span; spanContext: Context } {
  const cause = parent === undefined ? context.active() : contextOf(parent);
  const links = others.map(contextOf).flatMap(linksTo);
  const span = trace
    .getTracer('switchboard')
    .startSpan(name, { kind, ...(attributes && { attributes }), links }, cause);
  return { span, spanContext: trace.setSpan(cause, span) };
}

const contextOf = (traceparent: string | null | undefined): Context =>
  traceparent === null || traceparent === undefined || traceparent === ''
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, { traceparent });

function linksTo(cause: Context): Link[] {
  const linked = trace.getSpanContext(cause);
  return linked === undefined || (linked.traceFlags & TraceFlags.SAMPLED) === 0 ? [] : [{ context: linked }];
}

function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
  if (error instanceof Error) span.recordException(error);
}
