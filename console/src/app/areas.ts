import { BookOpen, Bot, ChartColumn, House, Inbox, Lightbulb, Send, Settings, Users, Workflow } from 'lucide-react';

/** The areas of the console in their order. One is there for members whose role has its scope. */
const AREAS = [
  { name: 'Home', to: '/', key: 'h', scope: 'chat-sessions:read', Icon: House },
  { name: 'Inbox', to: '/inbox', key: 'i', scope: 'chat-sessions:read', Icon: Inbox },
  { name: 'Contacts', to: '/contacts', key: 'c', scope: 'contacts:read', Icon: Users },
  { name: 'Outbound', to: '/outbound', key: 'o', scope: 'sequences:read', Icon: Send },
  { name: 'Automations', to: '/automations/runs', key: 'a', scope: 'workflows:read', Icon: Workflow },
  { name: 'Knowledge', to: '/knowledge', key: 'k', scope: 'training:read', Icon: BookOpen },
  { name: 'AI', to: '/ai', key: 'b', scope: 'autopilot:read', Icon: Bot },
  { name: 'Insights', to: '/insights', key: 'n', scope: 'insights:read', Icon: Lightbulb },
  { name: 'Analytics', to: '/analytics', key: 'y', scope: 'insights:read', Icon: ChartColumn },
  { name: 'Settings', to: '/settings', key: 's', scope: 'chat-sessions:read', Icon: Settings },
] as const;

export type AreaName = (typeof AREAS)[number]['name'];

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The area of a page, as the rail and the title of the window show it. */
    area?: AreaName;
  }
}

export const areasOf = (scopes: string[]) => AREAS.filter(({ scope }) => scopes.includes(scope));
