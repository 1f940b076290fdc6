import { useRead } from '@castellan/react';
import { Link, useParams } from 'react-router';
import { explain } from '../design/explain.ts';
import { useHead } from '../design/head.ts';
import { MessagePage } from '../design/message-page.tsx';
import { Failure, RowSkeletons } from '../design/states.tsx';
import { useSession } from '../session/use-session.ts';
import { isOver } from './call-states.ts';
import { Review } from './review.tsx';

const POLL_MS = 5_000;

/** One prepared call to sign or review; its link holds nothing but the call's id. */
export function ReviewPage() {
  const { id = '' } = useParams();
  const isSignedIn = useSession().status === 'signed_in';
  const read = useRead(
    'getPrepared',
    { params: { id }, query: {} },
    {
      enabled: isSignedIn,
      refetchInterval: ({ state: { data } }) => (data === undefined || isOver(data.status) ? false : POLL_MS),
    },
  );
  useHead('Prepared call');
  const { code } = explain(read.error);
  if (code === 'PREPARED_NOT_FOUND') return <NotFound id={id} />;
  if (code === 'ROLE_REQUIRED') return <NotForYou />;
  return (
    <div className="mx-auto flex w-full max-w-[900px] flex-col gap-4 px-4 py-6 sm:px-6">
      {read.isError && isSignedIn ? (
        <Failure error={read.error} title="The call could not be read" retry={() => read.refetch()} />
      ) : null}
      {read.data === undefined ? (
        read.isError ? null : (
          <div className="rounded-card border bg-surface">
            <RowSkeletons rows={6} />
          </div>
        )
      ) : (
        <Review call={read.data} refresh={() => void read.refetch()} />
      )}
    </div>
  );
}

const toOperate = (
  <Link to="/operate" className="link">
    See your vaults
  </Link>
);

function NotFound({ id }: { id: string }) {
  return (
    <MessagePage title="No such prepared call" action={toOperate}>
      <p>
        Nothing was prepared under <code className="font-mono text-13 break-all">{id}</code>. Check that the whole link
        was copied.
      </p>
    </MessagePage>
  );
}

function NotForYou() {
  const session = useSession();
  return (
    <MessagePage title="This call is not open to you" action={toOperate}>
      <p>Who prepared it and the managers of its vault may see it. Ask one of them to add you, or sign in anew.</p>
      {session.status === 'anonymous' ? null : (
        <p>
          You are signed in as <code className="font-mono text-13 break-all">{session.address}</code>.
        </p>
      )}
    </MessagePage>
  );
}
