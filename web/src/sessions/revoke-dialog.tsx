import { useMutation } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { type AccountSession, nameOfSession } from './session-labels.ts';

type Props = { row: AccountSession; onDone: () => void; onClose: () => void };

export function RevokeDialog({ row, onDone, onClose }: Props) {
  const { api, session } = useApp();
  const name = nameOfSession(row);
  const revoke = useMutation({
    mutationFn: () => api.revokeSession({ params: { id: row.id } }),
    onSuccess: () => {
      toast({ tone: 'info', title: `${name} was ended` });
      onClose();
      if (row.is_current) session.end('logout');
      else onDone();
    },
  });
  return (
    <Dialog title={`Revoke ${name}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          {row.is_current
            ? 'This is the session of this browser: you are signed out at once.'
            : row.kind === 'token'
              ? 'Whatever uses this token is refused within two seconds. It cannot be brought back; make a new one instead.'
              : 'That browser is signed out within two seconds. What was typed there stays on its screen.'}
        </p>
        {revoke.isError ? <Failure error={revoke.error} title="It was not revoked" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Keep it</Button>
          <Button look="danger" isDisabled={revoke.isPending} onPress={() => revoke.mutate()}>
            {revoke.isPending ? 'Revoking' : 'Revoke now'}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
