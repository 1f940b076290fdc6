import {
  Bot,
  FileSignature,
  FlaskConical,
  Handshake,
  History,
  Hourglass,
  type LucideIcon,
  Network,
  Newspaper,
  OctagonPause,
  PhoneCall,
  ScrollText,
  SlidersHorizontal,
  Sparkles,
  Sprout,
  Users,
  Workflow,
} from 'lucide-react';

/** Headings of the menu, in its order. */
export const menuGroups = ['Vault', 'Strategies', 'Access and settings', 'Operations'] as const;

export type VaultPage = { group: (typeof menuGroups)[number]; title: string; icon: LucideIcon };

/** Pages about one vault by the last step of their path, in the order of the menu. */
export const vaultPages = {
  analysis: { group: 'Vault', title: 'Analysis', icon: Sparkles },
  feed: { group: 'Vault', title: 'Feed', icon: Newspaper },
  strategies: { group: 'Strategies', title: 'Strategies', icon: Workflow },
  intents: { group: 'Strategies', title: 'Intent history', icon: History },
  keeper: { group: 'Strategies', title: 'Keeper', icon: Bot },
  simulation: { group: 'Strategies', title: 'Simulation', icon: FlaskConical },
  users: { group: 'Access and settings', title: 'User management', icon: Users },
  mandate: { group: 'Access and settings', title: 'Mandate', icon: Handshake },
  settings: { group: 'Access and settings', title: 'Settings', icon: SlidersHorizontal },
  'yield-sources': { group: 'Access and settings', title: 'Yield sources', icon: Sprout },
  merkle: { group: 'Access and settings', title: 'Merkle trees', icon: Network },
  redemptions: { group: 'Operations', title: 'Redemptions', icon: Hourglass },
  pause: { group: 'Operations', title: 'Pause', icon: OctagonPause },
  duty: { group: 'Operations', title: 'On duty', icon: PhoneCall },
  calls: { group: 'Operations', title: 'Prepared calls', icon: FileSignature },
  audit: { group: 'Operations', title: 'Timeline and audit', icon: ScrollText },
} as const satisfies Record<string, VaultPage>;

export type VaultPageStep = keyof typeof vaultPages;
