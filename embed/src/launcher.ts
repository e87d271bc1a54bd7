import type { Chat } from './chat.ts';
import styles from './launcher.css';
import { isColor, textColorOn } from './rules/colours.rules.ts';
import type { Widget } from './widget.ts';

declare const PANEL_VERSION: string;

const SVG = 'http://www.w3.org/2000/svg';
const CHAT =
  'M4 5.5A2.5 2.5 0 0 1 6.5 3h11A2.5 2.5 0 0 1 20 5.500v8a2.500 2.500 0 0 1-2.500 2.500H11l-4.400 4a.4.4 0 0 1-.6-.3V16A2.500 2.500 0 0 1 4 13.500z';
const CLOSE = 'M6 6l12 12M18 6L6 18';
const COLOR = '#1c4fd8';

interface PanelModule {
  styles: string;
  mount(chat: Chat, into: HTMLElement): () => void;
}

/**
 * Shows the launcher in a shadow root, and the panel while the chat is open. The panel's code is loaded when it is first
 * wanted. The styles are adopted: the page's policy needs to allow no inline style.
 */
export function showLauncher(widget: Widget, root: ShadowRoot): void {
  root.adoptedStyleSheets = [sheetOf(styles)];
  const frame = document.createElement('div');
  const place = document.createElement('div');
  const button = document.createElement('button');
  const icon = iconOf();
  const text = document.createElement('span');
  const badge = document.createElement('span');
  badge.className = 'badge';
  badge.ariaHidden = 'true';
  button.type = 'button';
  button.append(icon.svg, text, badge);
  frame.append(place, button);

  const panel = createPanel(widget.options.host, root, place);
  button.addEventListener('pointerenter', panel.load, { once: true });
  button.addEventListener('click', () => {
    const chat = widget.chat();
    if (chat.state().isOpen) chat.close();
    else void chat.open();
  });

  const draw = () => {
    const chat = widget.chat();
    const { config, refusal, isOpen, session, language } = chat.state();
    const isShown = config !== undefined || isOpen; // no colour is shown before it is known
    if (!isShown || (refusal !== undefined && !isOpen)) return frame.remove();
    const { options } = chat;
    const { color = COLOR, position = 'right', launcher } = config?.appearance ?? {};
    const accent = isColor(options.color) ? options.color : color;
    frame.className = `root ${options.position ?? position}${isOpen ? ' open' : ''}`;
    frame.dir = language?.direction ?? 'ltr';
    frame.lang = language?.code ?? 'en';
    frame.style.setProperty('--accent', accent);
    frame.style.setProperty('--on-accent', textColorOn(accent));
    const words = isOpen ? null : launcher;
    const unread = isOpen ? 0 : (session?.unread ?? 0);
    button.className = `launcher${words ? ' worded' : ''}`;
    button.ariaExpanded = String(isOpen);
    button.ariaLabel = nameOf(isOpen, launcher ?? options.launcherLabel, unread, language?.words);
    icon.draw(isOpen);
    text.textContent = words ?? '';
    text.hidden = !words;
    badge.textContent = String(unread);
    badge.hidden = unread === 0;
    if (!frame.isConnected) root.append(frame);
    if (panel.show(isOpen ? chat : undefined)) button.focus({ preventScroll: true });
  };
  widget.watch(draw);
  draw();
}

/** Returns the launcher's name, with the number of unread messages. Before the panel is loaded, in English. */
function nameOf(
  isOpen: boolean,
  launcher: string | null | undefined,
  unread: number,
  words?: Record<string, string>,
): string {
  if (isOpen) return words?.close ?? 'Close chat';
  const count = (words?.unread ?? '{n} unread').replace('{n}', String(unread));
  return [launcher ?? words?.open ?? 'Open chat', ...(unread > 0 ? [count] : [])].join(', ');
}

function createPanel(host: string, root: ShadowRoot, place: HTMLElement) {
  let loading: Promise<PanelModule> | undefined;
  let remove: (() => void) | undefined;
  let wanted: Chat | undefined;
  const load = () => {
    loading ??= import(`${host}/widget/panel.js?v=${PANEL_VERSION}`).then((module: PanelModule) => {
      root.adoptedStyleSheets.push(sheetOf(module.styles));
      return module;
    });
    return loading;
  };
  const mount = async () => {
    try {
      const module = await load();
      if (wanted) remove = module.mount(wanted, place);
    } catch {
      loading = undefined; // the next opening tries again
      wanted?.close();
    }
  };
  return {
    load: () => void load().catch(() => {}),
    /** Shows the panel of a chat, or none. Returns whether one was shown and none is any more. */
    show(chat: Chat | undefined): boolean {
      if (chat === wanted) return false;
      const wasShown = remove !== undefined;
      // What the same person has begun in the panel stays there.
      if (chat?.view !== wanted?.view) {
        remove?.();
        remove = undefined;
      }
      wanted = chat;
      if (chat) void mount();
      return wasShown && !chat;
    },
  };
}

function iconOf() {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return {
    svg,
    draw(isOpen: boolean) {
      svg.setAttribute('class', `icon ${isOpen ? 'close' : 'chat'}`);
      path.setAttribute('d', isOpen ? CLOSE : CHAT);
    },
  };
}

function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}
