/** The header of a compound file ([MS-CFB], 2.2): where the numbers of sectors stand that lead to the directory. */
const SECTOR_SHIFT_AT = 30;
const FIRST_DIRECTORY_SECTOR_AT = 48;
const FAT_SECTORS_AT = 76;
const FAT_SECTORS = 109;
const SECTOR_SHIFTS = [9, 12];
const LAST_REGULAR_SECTOR = 0xfffffffa;
/** A directory entry ([MS-CFB], 2.6). */
const ENTRY_BYTES = 128;
const NAME_LENGTH_AT = 64;
const TYPE_AT = 66;

const WORKBOOKS = ['Workbook', 'Book'];
const MACROS = '_VBA_PROJECT_CUR';

/** Returns whether a compound file is a workbook of Excel 97 or earlier, with or without macros. */
export function workbookIn(file: Buffer): { hasMacros: boolean } | undefined {
  const names = entryNames(file);
  return names.some((name) => WORKBOOKS.includes(name)) ? { hasMacros: names.includes(MACROS) } : undefined;
}

/** Returns the names of the streams and storages of a compound file. A damaged directory ends where the damage begins. */
function entryNames(file: Buffer): string[] {
  const names: string[] = [];
  for (const sector of directorySectors(file)) {
    for (let at = 0; at + ENTRY_BYTES <= sector.length; at += ENTRY_BYTES) {
      const length = sector.readUInt16LE(at + NAME_LENGTH_AT) - 2;
      if (sector[at + TYPE_AT] !== 0 && length > 0 && length < NAME_LENGTH_AT)
        names.push(sector.toString('utf16le', at, at + length));
    }
  }
  return names;
}

/** Follows the chain of the directory's sectors. Each sector is in it at most once. */
function* directorySectors(file: Buffer): Generator<Buffer> {
  if (file.length < FAT_SECTORS_AT + 4 * FAT_SECTORS) return;
  const shift = file.readUInt16LE(SECTOR_SHIFT_AT);
  if (!SECTOR_SHIFTS.includes(shift)) return;
  const size = 1 << shift;
  const sectorAt = (number: number) => file.subarray((number + 1) * size, (number + 2) * size);
  const perSector = size / 4;
  const seen = new Set<number>();
  let number = file.readUInt32LE(FIRST_DIRECTORY_SECTOR_AT);
  while (number <= LAST_REGULAR_SECTOR && !seen.has(number)) {
    seen.add(number);
    const sector = sectorAt(number);
    if (sector.length < size) return;
    yield sector;
    const place = Math.floor(number / perSector);
    if (place >= FAT_SECTORS) return;
    const table = sectorAt(file.readUInt32LE(FAT_SECTORS_AT + 4 * place));
    if (table.length < size) return;
    number = table.readUInt32LE(4 * (number % perSector));
  }
}
