import { showLauncher } from './launcher.ts';
import { callHooks, type Options, optionsOfOriginal, optionsOfTag } from './options.ts';
import { createWidget, type Widget } from './widget.ts';

const TAG = 'switchboard-chat';
const script = document.currentScript as HTMLScriptElement | null;
const host = new URL(script?.src ?? location.href).origin;

let widget: Widget | undefined;
let early: [string, (detail: unknown) => void][] = [];

class ChatElement extends HTMLElement {
  begin(options: Options): Widget {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    if (options.theme) this.dataset.theme = options.theme;
    const created = createWidget(options);
    showLauncher(created, root);
    return created;
  }
}

/** Puts the chat on the page, in place of an earlier one. */
function begin(options: Options): void {
  widget?.chat().destroy();
  document.querySelector(TAG)?.remove();
  const element = document.createElement(TAG) as ChatElement;
  document.body.append(element);
  const created = element.begin(options);
  widget = created;
  callHooks(options, created.on);
  for (const [event, listener] of early) created.on(event, listener);
  early = [];
  // Above everything of the page, whatever its z-index, where the browser has a top layer.
  if ('popover' in element) {
    element.popover = 'manual';
    element.showPopover();
  }
  void created.chat().load();
  if (options.isOpen) void created.chat().open();
  else if (options.openAfterSeconds) setTimeout(() => void created.chat().open(), options.openAfterSeconds * 1_000);
}

/** What a page can do with its chat: `Switchboard('open')`, `Switchboard('on', 'message', listener)`. */
function command(name: string, ...args: unknown[]): void {
  if (name === 'on') {
    const [event, listener] = args as [string, (detail: unknown) => void];
    if (widget) widget.on(event, listener);
    else early.push([event, listener]);
  } else if (name === 'open') void widget?.chat().open();
  else if (name === 'close') widget?.chat().close();
  else if (name === 'identify') widget?.identify((args[0] as { token?: string } | undefined)?.token);
  else if (name === 'context') widget?.setContext(args[0] as object);
  else console.warn(`Switchboard: unknown command ${name}. Known: open, close, identify, on, context`);
}

const whenReady = (run: () => void): void => {
  if (document.body) run();
  else document.addEventListener('DOMContentLoaded', run, { once: true });
};

if (!customElements.get(TAG)) {
  customElements.define(TAG, ChatElement);
  const queued = ((window as Page).Switchboard as { q?: unknown[][] } | undefined)?.q ?? [];
  const page = Object.assign(window as Page, {
    Switchboard: command,
    initOpenScript: (given: Parameters<typeof optionsOfOriginal>[1]) =>
      whenReady(() => begin(optionsOfOriginal(given.apiUrl ? new URL(given.apiUrl).origin : host, given))),
  });
  const options = script && optionsOfTag(host, script.dataset);
  whenReady(() => {
    if (options) begin(options);
    for (const call of queued) (page.Switchboard as typeof command)(...(call as [string, ...unknown[]]));
  });
}

type Page = Window & { Switchboard?: unknown; initOpenScript?: unknown };
