const channel = (part: number): number => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** Returns the relative luminance (WCAG 2) of a colour such as #1c4fd8. */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Returns black or white, whichever is easier to read on the colour. */
export const textColorOn = (color: string): string => {
  const luminance = luminanceOf(color);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
};

const HEX = /^#[0-9a-f]{6}$/i;

export const isColor = (text: string | undefined): text is string => text !== undefined && HEX.test(text);
