import { Label, Slider, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components';

type Props = {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  show: (value: number) => string;
  onChange: (value: number) => void;
  /** When the thumb is released; for what is too expensive on every step. */
  onEnd: (value: number) => void;
};

/** A value between two ends, by pointer or arrow keys. */
export function Range({ label, value, min, max, step, show, onChange, onEnd }: Props) {
  return (
    <Slider
      value={value}
      minValue={min}
      maxValue={max}
      step={step}
      onChange={(next) => onChange(Number(next))}
      onChangeEnd={(next) => onEnd(Number(next))}
      className="grid min-w-0 grid-cols-[1fr_auto] gap-y-1"
    >
      <Label className="text-13 font-medium">{label}</Label>
      <SliderOutput className="text-13 text-muted tabular-nums">{show(value)}</SliderOutput>
      <SliderTrack className="relative col-span-2 mx-3 h-6 before:absolute before:inset-x-[-12px] before:top-1/2 before:h-1 before:-translate-y-1/2 before:rounded-full before:bg-line-strong">
        <SliderThumb className="top-1/2 size-6 rounded-full border-2 border-accent bg-surface" />
      </SliderTrack>
    </Slider>
  );
}
