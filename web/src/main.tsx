import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { LiveApp } from "./app/live-app.tsx";
import "./page.css";

createRoot(document.querySelector("#root")!).render(
  <StrictMode>{location.pathname.endsWith("/live") ? <LiveApp /> : <App />}</StrictMode>,
);
