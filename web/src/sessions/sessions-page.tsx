import { terminalRequestIn } from '@castellan/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useApp } from '../client/services.ts';
import { Card } from '../design/card.tsx';
import { useHead } from '../design/head.ts';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useSession, useViewer } from '../session/use-session.ts';
import { CreateToken } from './create-token.tsx';
import { IssuedToken } from './issued-token.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import type { AccountSession, Issued } from './session-labels.ts';
import { SessionsTable } from './sessions-table.tsx';
import { TerminalSignIn } from './terminal-sign-in.tsx';

const sessionsKey = (viewer: string) => ['sessions', viewer] as const;

/** Sessions and tokens, unless a terminal asks for a sign-in. */
export function SessionsPage() {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const request = terminalRequestIn(hash);
  if (request === undefined) return <Sessions />;
  return <TerminalSignIn request={request} onCancel={() => navigate({ hash: '' }, { replace: true })} />;
}

/** Where the wallet is signed in, and the tokens made for its programs. */
function Sessions() {
  useHead('Sessions and tokens');
  const { api } = useApp();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
  const queries = useQueryClient();
  const list = useQuery({
    queryKey: sessionsKey(viewer),
    queryFn: () => api.listSessions({}),
    enabled: isSignedIn,
  });
  const [revoked, setRevoked] = useState<AccountSession>();
  const [issued, setIssued] = useState<Issued>();
  const refresh = () => void queries.invalidateQueries({ queryKey: sessionsKey(viewer) });
  const rows = list.data?.sessions.filter(({ revoked_at: at }) => at === null);
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6 px-4 py-6 sm:px-6">
      <div>
        <h1 className="text-20 font-semibold">Sessions and tokens</h1>
        <p className="text-13 text-muted">
          Where this wallet is signed in, and the tokens you made for scripts. A token never does more than your roles
          allow, and none of them can sign a transaction.
        </p>
      </div>
      {isSignedIn ? <ReadTrouble of={list} what="The sessions" /> : null}
      <Card isFlush>
        {rows === undefined ? (
          list.isError ? (
            <Empty title="Nothing to show">The list appears here once it can be read.</Empty>
          ) : (
            <RowSkeletons rows={3} />
          )
        ) : rows.length === 0 ? (
          <Empty title="No session">Sign-ins and tokens of this wallet appear here until they expire.</Empty>
        ) : (
          <SessionsTable rows={rows} onRevoke={setRevoked} />
        )}
      </Card>
      <CreateToken
        onIssued={(made) => {
          setIssued(made);
          refresh();
        }}
      />
      {revoked === undefined ? null : (
        <RevokeDialog row={revoked} onDone={refresh} onClose={() => setRevoked(undefined)} />
      )}
      {issued === undefined ? null : <IssuedToken issued={issued} onClose={() => setIssued(undefined)} />}
    </div>
  );
}
