/** The script of the page and of its worker. It is the same text, so the page contains it once. */

import { show } from "./page.js";
import { serve } from "./serving.js";

if (typeof document === "undefined") {
  serve();
} else {
  const script = document.currentScript!.textContent!;
  // In a report, the page is collapsed, and does nothing until it is visible.
  const watching = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    watching.disconnect();
    void show(script);
  });
  watching.observe(document.body);
}
