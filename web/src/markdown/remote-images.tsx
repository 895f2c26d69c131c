import { type ReactNode, createContext, useContext, useMemo, useState } from "react";

interface RemoteImagesAllowed {
  readonly hosts: ReadonlySet<string>;
  allow(host: string): void;
}

const RemoteImagesContext = createContext<RemoteImagesAllowed | undefined>(undefined);

/** Remembers the hosts from which the user allows images, while mounted. Place it around a conversation. */
export const RemoteImages = ({ children }: { readonly children: ReactNode }) => {
  const [hosts, setHosts] = useState<ReadonlySet<string>>(new Set<string>());
  const allowed = useMemo(
    () => ({ hosts, allow: (host: string) => setHosts((known) => new Set([...known, host])) }),
    [hosts],
  );
  return <RemoteImagesContext value={allowed}>{children}</RemoteImagesContext>;
};

export const useRemoteImages = (): RemoteImagesAllowed | undefined => useContext(RemoteImagesContext);
