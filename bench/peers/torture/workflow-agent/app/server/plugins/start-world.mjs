// As in the Workflow SDK's guide to its worlds: the world picks up its open runs when the server starts.
export default async () => {
  const { getWorld } = await import("workflow/runtime");
  const world = await getWorld();
  await world.start?.();
};
