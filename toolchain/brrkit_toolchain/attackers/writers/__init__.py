"""Who wrote some released texts, and which text a released one is.

``named`` says how often one of some writers is named, ``recognized`` how often one of some texts
is; ``models`` is what attackers of writers learn, ``labeled_texts`` reads what both take.
"""
