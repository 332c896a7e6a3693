"""How private a mechanism is and what it costs, measured on a bundle's words.

``support`` holds N_w and S_w, ``adversary`` the posterior, E_M and L_M, ``parameters`` the choice
of epsilon and t under a utility budget; ``setting`` measures all of them at one setting. Every
number that is estimated comes with a 95% interval, and every function takes its generator.
"""
