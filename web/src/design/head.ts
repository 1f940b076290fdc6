import { useEffect } from 'react';

const DESCRIPTION = 'Castellan: on-chain vaults, their price, their money and the people who run them.';

type Options = {
  /** The one address of this page, whole; pages without one leave it out. */
  canonical?: string;
};

function put(selector: string, make: () => HTMLElement, attribute: string, value: string | undefined) {
  const found = document.head.querySelector(selector);
  if (value === undefined) return found?.remove();
  const element = found ?? document.head.appendChild(make());
  element.setAttribute(attribute, value);
}

const meta = (name: 'name' | 'property', key: string, content: string | undefined) =>
  put(
    `meta[${name}="${key}"]`,
    () => {
      const element = document.createElement('meta');
      element.setAttribute(name, key);
      return element;
    },
    'content',
    content,
  );

const link = (rel: string, href: string | undefined) =>
  put(
    `link[rel="${rel}"]`,
    () => {
      const element = document.createElement('link');
      element.rel = rel;
      return element;
    },
    'href',
    href,
  );

/** Names the page in the tab, for search engines and links. */
export function useHead(title: string, description: string = DESCRIPTION, { canonical }: Options = {}) {
  useEffect(() => {
    const whole = title === 'Castellan' ? title : `${title} · Castellan`;
    document.title = whole;
    meta('name', 'description', description);
    meta('property', 'og:title', whole);
    meta('property', 'og:description', description);
    meta('property', 'og:url', canonical);
    meta('property', 'og:image', canonical === undefined ? '/social.png' : new URL('/social.png', canonical).href);
    link('canonical', canonical);
  }, [title, description, canonical]);
}
