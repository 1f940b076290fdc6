import { createBrowserRouter, type RouteObject } from 'react-router';
import { Loading } from '../design/mark.tsx';
import { BrokenPage } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import { NotFoundPage } from './not-found.tsx';

const loading = <Loading what="the page" />;

const operate = () => import('../operate/operate.tsx');

/** Each page is loaded when it is opened; the router begins with the first while the rest still starts. */
export const appRoutes: RouteObject[] = [
  {
    element: <Layout />,
    errorElement: <BrokenPage />,
    children: [
      {
        errorElement: <BrokenPage />,
        hydrateFallbackElement: loading,
        children: [
          { path: '/', lazy: { Component: async () => (await import('../home/home-page.tsx')).HomePage } },
          {
            path: '/compare',
            lazy: { Component: async () => (await import('../compare/compare-page.tsx')).ComparePage },
          },
          {
            path: '/managed-vaults/:chainName/:vaultAddress',
            lazy: { Component: async () => (await import('../vault/public-page.tsx')).PublicVaultPage },
          },
          {
            path: '/operate',
            lazy: { Component: async () => (await operate()).OperateShell },
            children: [
              { index: true, lazy: { Component: async () => (await operate()).OperateHome } },
              {
                path: ':chainName/:vaultAddress',
                lazy: { Component: async () => (await operate()).OperateVault },
              },
              {
                path: ':chainName/:vaultAddress/users',
                lazy: { Component: async () => (await operate()).OperateUsers },
              },
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
];

export const createRouter = () => createBrowserRouter(appRoutes);
