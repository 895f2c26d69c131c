export const App = () => <main className="p-4">Runcast</main>;
