import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;

/**
 * Returns the agent with requests that are freed once they have ended. undici (8.12.4) keeps what aborts a request in a
 * function that V8 allocates as long-lived: the bytes of an answer would stay in memory until the next full collection.
 */
export const freeingRequests = (agent: Agent): Dispatcher =>
  agent.compose((dispatch) => (options, handler) => dispatch(options, new FreeingHandler(handler)));

/** Hands on all that a request reports, with a controller that forgets the request when it ends. */
class FreeingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #controller = new ForgettingController();

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#controller.current = controller;
    this.#handler.onRequestStart?.(this.#controller, context);
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders, text?: string): void {
    this.#handler.onResponseStart?.(this.#controller, status, headers, text);
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(this.#controller, chunk);
  }

  onResponseEnd(_: Controller, trailers: IncomingHttpHeaders): void {
    this.#handler.onResponseEnd?.(this.#controller, trailers);
    this.#controller.current = undefined;
  }

  onResponseError(_: Controller, error: Error): void {
    this.#handler.onResponseError?.(this.#controller, error);
    this.#controller.current = undefined;
  }
}

class ForgettingController implements Controller {
  current: Controller | undefined;

  get aborted(): boolean {
    return this.current?.aborted ?? false;
  }
  get paused(): boolean {
    return this.current?.paused ?? false;
  }
  get reason(): Error | null {
    return this.current?.reason ?? null;
  }
  get rawHeaders() {
    return this.current?.rawHeaders;
  }
  get rawTrailers() {
    return this.current?.rawTrailers;
  }
  abort(reason: Error): void {
    this.current?.abort(reason);
  }
  pause(): void {
    this.current?.pause();
  }
  resume(): void {
    this.current?.resume();
  }
}
