import { createElement, type SVGProps } from 'react';

interface IconProps extends SVGProps<SVGSVGElement> {
  size?: number;
  icon: { node: [tag: string, attributes: Record<string, string>][] };
}

/** Draws the icons of Lucide in place of its component, whose settings nobody uses here and everybody would load. */
const Icon = ({ icon, size = 24, ...props }: IconProps) =>
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
    icon.node.map(([tag, attributes]) => createElement(tag, attributes)),
  );

// biome-ignore lint/style/noDefaultExport: the module that it replaces has one
export default Icon;
