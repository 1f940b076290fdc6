import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/states.tsx';
import type { Item } from './feed-labels.ts';
import { useDeletePost } from './use-post.ts';

type Props = { item: Item; vault: Vault; onClose: () => void };

/** Asks before a post is taken back. */
export function DeleteDialog({ item, vault, onClose }: Props) {
  const remove = useDeletePost(vault, item, onClose);
  return (
    <Dialog title="Delete this post" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p dir="auto" className="font-medium break-words">
          {item.title}
        </p>
        <p className="text-13 text-muted">
          It disappears for everyone and cannot be brought back. That it was there, and who deleted it, stays in the
          audit log.
        </p>
        {remove.isError ? <Failure error={remove.error} title="The post was not deleted" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button isDisabled={remove.isPending} onPress={onClose}>
            Keep it
          </Button>
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? 'Deleting' : 'Delete the post'}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
