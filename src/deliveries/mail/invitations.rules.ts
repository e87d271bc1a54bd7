interface CalendarFile {
  name: string | undefined;
  contentType: string;
  content: Buffer;
}

const NAME = 'invitation.ics';
const MAX_CALENDAR_BYTES = 1_000_000;

/**
 * Returns files with each invitation once. Calendars put it into an e-mail twice: as a form of the message, which has no
 * name, and as an attachment. One without an attachment gets a name.
 */
export function invitationsOnce<File extends CalendarFile>(files: File[]): File[] {
  const attached = new Set(files.filter((file) => file.name !== undefined && isCalendar(file)).map(eventOf));
  return files.flatMap((file) => {
    if (file.name !== undefined || file.contentType !== 'text/calendar') return [file];
    return attached.has(eventOf(file)) ? [] : [{ ...file, name: NAME }];
  });
}

const isCalendar = ({ name = '', contentType }: CalendarFile): boolean =>
  contentType === 'text/calendar' || contentType === 'application/ics' || /\.ics$/i.test(name);

/** Returns the id of the event, or the whole content if it has none. Long lines are folded (RFC 5545, 3.1). */
function eventOf({ content }: CalendarFile): string {
  const text = content
    .subarray(0, MAX_CALENDAR_BYTES)
    .toString('utf8')
    .replace(/\r?\n[ \t]/g, '');
  return /^UID[:;].*$/im.exec(text)?.[0].trim() ?? text;
}
