import { Dialog } from '../ui/dialogs/dialog';
import { KEYBOARD } from './keyboard';

export const KeyHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard" className="w-[52rem]" onClose={onClose}>
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2 lg:grid-cols-3">
      {KEYBOARD.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3 className="mb-2 text-xs font-semibold text-quiet">{title}</h3>
          <dl className="space-y-1.5">
            {shortcuts.map(({ keys, does }) => (
              <div key={keys} className="flex items-baseline gap-3">
                <dt className="flex w-24 shrink-0 flex-wrap gap-1">
                  <Keys keys={keys} />
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);

const WORD = /^(?:to)$/;

/** Keys as they are on a keyboard. */
const Keys = ({ keys }: { keys: string }) =>
  keys.split(/,? /).map((key, n) =>
    WORD.test(key) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut do not change
      <span key={n} className="text-quiet">
        {key}
      </span>
    ) : (
      <kbd
        // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut do not change
        key={n}
        className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-mono text-xs leading-5"
      >
        {key}
      </kbd>
    ),
  );
