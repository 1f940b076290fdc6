import { useState } from 'react';
import { Button } from './button.tsx';

type Props = {
  children: string;
  /** As it is spoken: the words alone need not say what of. */
  label?: string;
  /** What the second press is called. */
  sure: string;
  sureLabel?: string;
  isDisabled?: boolean;
  onPress: () => void;
};

/** A press that takes something away asks once more in its place. The focus stays there, on the answer that changes nothing. */
export function AskedButton({
  children,
  label = children,
  sure,
  sureLabel = sure,
  isDisabled = false,
  onPress,
}: Props) {
  const [step, setStep] = useState<'fresh' | 'asked' | 'kept'>('fresh');
  if (step !== 'asked')
    return (
      <Button
        look="danger"
        aria-label={label}
        isDisabled={isDisabled}
        autoFocus={step === 'kept'}
        onPress={() => setStep('asked')}
      >
        {children}
      </Button>
    );
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button look="danger" aria-label={sureLabel} isDisabled={isDisabled} onPress={onPress}>
        {sure}
      </Button>
      <Button look="quiet" autoFocus onPress={() => setStep('kept')}>
        Keep it
      </Button>
    </span>
  );
}
