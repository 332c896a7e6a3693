/** The page's script, which is also its worker's: one text, so the page holds it once. */

import { show } from "./page.js";
import { serve } from "./serving.js";

if (typeof document === "undefined") {
  serve();
} else {
  const script = document.currentScript!.textContent!;
  // In a report the page is folded away, and does nothing until it is seen.
  const watching = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    watching.disconnect();
    void show(script);
  });
  watching.observe(document.body);
}
