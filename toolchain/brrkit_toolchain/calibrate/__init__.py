"""From a goal to a setting: searched, certified, and recorded in the bundle."""
