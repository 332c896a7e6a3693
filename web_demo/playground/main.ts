/** The page's script, which is also its worker's: one text, so the page holds it once. */

import { serve } from "./measuring.js";
import { show } from "./page.js";

if (typeof document === "undefined") serve();
else void show(document.currentScript!.textContent!);
