import { useMutation } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import type { Channel } from './queries.ts';
import { useRefresh } from './use-refresh.ts';

type Props = { channel: Channel; onClose: () => void };

/** Asks before a channel goes: what waits for it goes with it. */
export function DeleteChannelDialog({ channel, onClose }: Props) {
  const { api } = useApp();
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: () => api.deleteChannel({ params: { channel_id: channel.channel_id } }),
    onSuccess: () => {
      toast({ tone: 'info', title: `${channel.name} was deleted` });
      onClose();
      return refresh();
    },
  });
  const count = channel.vaults.length;
  return (
    <Dialog title={`Delete ${channel.name}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          {count === 0
            ? 'It is on no vault, so nobody misses an alert. It cannot be brought back.'
            : `${count === 1 ? 'One vault no longer sends' : `${count} vaults no longer send`} alerts here, and what is waiting is not sent. It cannot be brought back; to stop it for a while, switch it off.`}
        </p>
        {remove.isError ? <Failure error={remove.error} title="The channel was not deleted" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button isDisabled={remove.isPending} onPress={onClose}>
            Keep it
          </Button>
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? 'Deleting' : 'Delete the channel'}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
