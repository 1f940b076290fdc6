import { createBrowserRouter, type RouteObject } from 'react-router';
import { HomePage } from '../home/home-page.tsx';
import { OperateHome, OperateShell, OperateUsers, OperateVault } from '../operate/operate.tsx';
import { PublicVaultPage } from '../vault/public-page.tsx';
import { BrokenPage } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import { NotFoundPage } from './not-found.tsx';

export const appRoutes: RouteObject[] = [
  {
    element: <Layout />,
    children: [
      {
        errorElement: <BrokenPage />,
        children: [
          { path: '/', element: <HomePage /> },
          { path: '/managed-vaults/:chainName/:vaultAddress', element: <PublicVaultPage /> },
          {
            path: '/operate',
            element: <OperateShell />,
            children: [
              { index: true, element: <OperateHome /> },
              { path: ':chainName/:vaultAddress', element: <OperateVault /> },
              { path: ':chainName/:vaultAddress/users', element: <OperateUsers /> },
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
];

export const createRouter = () => createBrowserRouter(appRoutes);
