import { createElement, type SVGProps } from 'react';

interface IconProps extends SVGProps<SVGSVGElement> {
  size?: number;
}

/** Makes the icons of Lucide in place of its function. Their shapes are symbols of the page (scripts/icon-sprite.ts). */
const createIcon =
  (name: string) =>
  ({ size = 24, ...props }: IconProps) =>
    createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': props['aria-label'] === undefined,
        ...props,
      },
      createElement('use', { href: `#icon-${name}` }),
    );

// biome-ignore lint/style/noDefaultExport: the module that it replaces has one
export default createIcon;
