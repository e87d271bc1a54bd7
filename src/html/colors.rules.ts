/** Colours as three parts of 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

const HEX = /^#[0-9a-f]{6}$/i;

/** Whether a text is a colour such as #1c4fd8. */
export const isHexColor = (text: string): boolean => HEX.test(text);

/** Returns black or white, whichever has more contrast with the colour: always 4.5 to 1 at least. */
export const textColorOn = (color: string): string =>
  contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000';

/** Returns the contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(rgbOf(one)), luminanceOf(rgbOf(other))].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const STEPS = 20;

/**
 * Returns the colour, mixed with as much black or white as it takes to have this contrast with the background.
 * `toward` is `#000000` on a light background and `#ffffff` on a dark one.
 */
export function readableOn(background: string, color: string, toward: '#000000' | '#ffffff', contrast = 4.5): string {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mixOf(color, toward, step / STEPS);
    if (contrastOf(mixed, background) >= contrast) return mixed;
  }
  return toward;
}

function mixOf(color: string, other: string, share: number): string {
  const end = rgbOf(other);
  const parts = rgbOf(color).map((part, nth) => Math.round(part + ((end[nth] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

const rgbOf = (color: string): Rgb => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [red, green, blue];
};

const luminanceOf = (color: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = color.map((part) => linearOf(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const linearOf = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
