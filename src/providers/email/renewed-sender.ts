import type { EmailSender } from './port.ts';

interface OpenedSender {
  sender: EmailSender;
  until: number;
  sending: number;
  isRetired: boolean;
}

/**
 * Creates a sender that opens its connections anew after `ttlMs`, as the addresses of a mail server can change. The old
 * ones, and those of a closed sender, are closed behind the last message given to them. So `close` loses no message, and
 * a later message has connections of its own.
 */
export function createRenewedSender(open: () => EmailSender, ttlMs: number): EmailSender {
  let isClosed = false;
  const openNow = (): OpenedSender => ({
    sender: open(),
    until: performance.now() + ttlMs,
    sending: 0,
    isRetired: isClosed,
  });
  const closeIfUnused = ({ sender, sending, isRetired }: OpenedSender) => {
    if (isRetired && sending === 0) sender.close();
  };
  const retire = (opened: OpenedSender) => {
    opened.isRetired = true;
    closeIfUnused(opened);
  };
  let current = openNow();
  const { provider, concurrency } = current.sender;

  return {
    provider,
    concurrency,
    async send(message) {
      if (current.isRetired || performance.now() >= current.until) {
        retire(current);
        current = openNow();
      }
      const used = current;
      used.sending++;
      try {
        return await used.sender.send(message);
      } finally {
        used.sending--;
        closeIfUnused(used);
      }
    },
    close() {
      isClosed = true;
      retire(current);
    },
  };
}
