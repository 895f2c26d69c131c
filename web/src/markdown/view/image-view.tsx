import { useState } from "react";
import { type Inline, safeUrl, visibleText } from "runcast/markdown";
import { useRemoteImages } from "../remote-images.tsx";

/** A remote image. Loading it reveals to its host that the message was read, so the user decides. */
export const ImageView = ({ image }: { readonly image: Extract<Inline, { kind: "image" }> }) => {
  const [once, setOnce] = useState(false);
  const remote = useRemoteImages();
  const alt = visibleText(image.alt);
  const target = /^https?:/i.test(image.url) ? safeUrl(image.url) : undefined;
  if (!target) return <span className="md-image">{alt || "image"}</span>;
  if (once || remote?.hosts.has(target.place))
    return (
      <img src={target.href} alt={alt} title={image.title || undefined} referrerPolicy="no-referrer" loading="lazy" />
    );
  return (
    <span className="md-image">
      {alt || "Image"} <bdi className="md-place">{target.place}</bdi>{" "}
      <button type="button" onClick={() => setOnce(true)}>
        Show image
      </button>
      {remote && (
        <button type="button" onClick={() => remote.allow(target.place)}>
          Always from {target.place}
        </button>
      )}
    </span>
  );
};
