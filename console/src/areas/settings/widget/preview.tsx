import { MessageCircle, SendHorizontal } from 'lucide-react';
import { linesOf, type Written } from '../../../ui/forms/spec';

const HEX = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;
const DEFAULT_COLOR = '#1c4fd8';

/** Returns black or white, whichever is easier to read on a colour. */
function textOn(color: string): string {
  const [, ...parts] = HEX.exec(color) ?? HEX.exec(DEFAULT_COLOR) ?? [];
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = Number.parseInt(part, 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

/** The widget as what is written would show it. */
export const Preview = ({ values, isOpen }: { values: Written; isOpen: boolean }) => {
  const text = (name: string) => String(values[name] ?? '').trim();
  const color = HEX.test(text('appearance.color')) ? text('appearance.color') : DEFAULT_COLOR;
  const look = { backgroundColor: color, color: textOn(color) };
  const isLeft = text('appearance.position') === 'left';
  return (
    <div
      role="img"
      aria-label="How the widget looks on a page"
      className={`flex min-h-96 flex-col justify-end gap-2 bg-sunken p-3 ${isLeft ? 'items-start' : 'items-end'}`}
    >
      {isOpen && <Panel values={values} text={text} look={look} />}
      <span
        className="inline-flex h-11 max-w-full items-center gap-2 rounded-full px-3.5 font-medium shadow-md"
        style={look}
      >
        <MessageCircle size={20} aria-hidden="true" className="shrink-0" />
        {text('appearance.launcher') !== '' && <span className="truncate">{text('appearance.launcher')}</span>}
      </span>
    </div>
  );
};

interface PanelProps {
  values: Written;
  text: (name: string) => string;
  look: { backgroundColor: string; color: string };
}

const Panel = ({ values, text, look }: PanelProps) => (
  <div className="w-64 max-w-full overflow-hidden rounded-xl border border-line bg-surface shadow-lg">
    <p className="flex items-center gap-2 px-3 py-2.5 font-semibold" style={look}>
      {text('appearance.logo') !== '' && <span className="size-6 shrink-0 rounded bg-white/40" />}
      Chat
    </p>
    <div className="space-y-2 p-3">
      {text('appearance.greeting') !== '' && (
        <p className="w-fit max-w-full rounded-lg bg-sunken px-2.5 py-1.5 break-words">{text('appearance.greeting')}</p>
      )}
      {values['collect.name'] === true && <Asked name="Name" />}
      {values['collect.email'] === true && <Asked name="E-mail" />}
      <div className="flex flex-wrap gap-1">
        {linesOf(text('quick_replies')).map((reply) => (
          <span key={reply} className="max-w-full truncate rounded-full border border-line px-2 py-0.5 text-xs">
            {reply}
          </span>
        ))}
      </div>
      <p className="ml-auto w-fit max-w-full rounded-lg px-2.5 py-1.5" style={look}>
        Where is my parcel?
      </p>
      <div className="w-fit max-w-full rounded-lg bg-sunken px-2.5 py-1.5">
        <p className="text-xs text-quiet">{text('ai.name') || 'AI assistant'}</p>
        It is on its way.
      </div>
      {text('ai.disclosure') !== '' && <p className="text-xs break-words text-quiet">{text('ai.disclosure')}</p>}
    </div>
    <p className="flex h-9 items-center justify-between border-t border-line px-3 text-xs text-quiet">
      Write a message
      <SendHorizontal size={16} aria-hidden="true" />
    </p>
  </div>
);

const Asked = ({ name }: { name: string }) => (
  <p className="rounded-md border border-line px-2 py-1 text-xs text-quiet">{name}</p>
);
