import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import { Suspense, useState } from 'react';
import { useConnection } from 'wagmi';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { WithWallets } from './with-wallets.tsx';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

function Account() {
  const { status, address: connected } = useConnection();
  return <p>{`${status} ${connected}`}</p>;
}

function Page() {
  const [renders, setRenders] = useState(0);
  return (
    <Suspense>
      <button type="button" onClick={() => setRenders(renders + 1)}>
        Again
      </button>
      <WithWallets>
        <Account />
        {renders}
      </WithWallets>
    </Suspense>
  );
}

test('behavior: a component that renders again keeps the wallet connected', async () => {
  await act(async () => {
    await renderPage(<Page />, { api: fakeApi({}), address });
  });
  expect(await screen.findByText(`connected ${address}`)).toBeTruthy();
  await act(async () => screen.getByRole('button', { name: 'Again' }).click());
  expect(await screen.findByText(`connected ${address}`)).toBeTruthy();
});
