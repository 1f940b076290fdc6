export function SessionsPage() {
  return <h1 className="text-20 font-semibold">Sessions and tokens</h1>;
}
