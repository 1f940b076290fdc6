import { useParams } from 'react-router';

export function ReviewPage() {
  const { id = '' } = useParams();
  return <h1 className="text-20 font-semibold">{`Prepared call ${id}`}</h1>;
}
