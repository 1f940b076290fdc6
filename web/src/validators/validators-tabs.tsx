import { NavLink } from 'react-router';
import { tabListLook, tabLook } from '../design/tabs.ts';

const views = [
  { to: '/validators', label: 'Now' },
  { to: '/validators/history', label: 'Over time' },
] as const;

/** The two views of the network, as links: each has an address of its own. */
export const ValidatorsTabs = () => (
  <nav aria-label="Views of the validators" className={tabListLook}>
    {views.map(({ to, label }) => (
      <NavLink
        key={to}
        end
        to={to}
        className={`${tabLook} aria-[current=page]:border-accent aria-[current=page]:text-text`}
      >
        {label}
      </NavLink>
    ))}
  </nav>
);
